#include <braid/error.h>

#include <iostream>

int main() {
  try {
    throw braid::Error(braid::ErrorKind::Model, "a message");
  } catch (const braid::Error& error) {
    std::cout << "consumer: " << error.what() << '\n';
    return braid::exit_code(error.kind()) == 3 ? 0 : 1;
  }
}
