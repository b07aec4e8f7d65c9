#include "tests/ops/generators.h"

#include "ops/catalog.h"

namespace braid {

Case plain_case(Draw& draw, const OpDef& def) {
  Case c{.op = std::string(def.name), .inputs = {}};
  for (const AttributeDef& attribute : def.attributes) {
    if (draw.chance()) continue;
    if (attribute.kind == AttributeKind::Integer)
      c.attributes.set(attribute.name, draw.integer(0, 1));
    if (attribute.kind == AttributeKind::Real)
      c.attributes.set(attribute.name, draw.real(0.25F, 2));
  }
  return c;
}

Case of_rank(Draw& draw, const OpDef& def, std::int64_t lowest, std::int64_t highest) {
  Case c = plain_case(draw, def);
  const ElementType element = draw.element(def.types);
  c.inputs = {draw.tensor(element, draw.dims(lowest, highest))};
  return c;
}

Case draw_case(const Generator& generator, int index, bool infinities) {
  Draw draw(generator.op, index, infinities);
  Case c = generator.generate(draw, op_def(generator.op));
  // All inputs but the first are constant, as in most models, or any of them.
  const bool parameters = draw.chance();
  for (std::size_t i = 0; i < c.inputs.size(); ++i)
    c.constant.push_back(parameters ? i > 0 : draw.chance());
  return c;
}

}  // namespace braid
