import type { Mutant } from './driver/mutant.ts'

/** What begins behind in a lane. */
export default [
  {
    file: 'src/store/work/items.ts',
    from: 'EXISTS (SELECT 1 FROM ${work} o WHERE o.lane = w.lane AND o.place = 2 AND o.item <> w.item)',
    to: 'EXISTS (SELECT 1 FROM ${work} o WHERE o.lane = w.lane AND o.place = 3 AND o.item <> w.item)',
    breaks: 'A third message of a customer begins behind the second.',
    promise: 'GROW-41',
    killedBy: { 'test/store/sqlite.test.ts': 'begins all messages one after the other' },
  },
  {
    file: 'src/store/work/items.ts',
    from: "OR EXISTS (SELECT 1 FROM ${work} o WHERE o.lane = w.lane AND o.state = 'gathering')",
    to: "OR EXISTS (SELECT 1 FROM ${work} o WHERE o.lane = w.lane AND o.state = 'gathered')",
    breaks: 'A burst that waits for its lane enters it, also when another message was in front of it.',
    promise: 'GROW-41',
    killedBy: { 'test/store/sqlite.test.ts': 'enter their lane once it is free' },
  },
  {
    file: 'src/store/work/items.ts',
    from: 'OR EXISTS (SELECT 1 FROM ${work} o WHERE o.lane = w.lane AND o.state',
    to: 'OR 1 = 1 OR EXISTS (SELECT 1 FROM ${work} o WHERE o.lane = w.lane AND o.state',
    breaks: 'A lane with nothing behind is not searched.',
    promise: 'GROW-41',
    killedBy: { 'test/store/postgres/grow.test.ts': 'takes two more to begin what is behind in a lane' },
  },
  {
    file: 'src/store/postgres/group-commit.ts',
    from: "    ready.set('beside', firsts)\n",
    to: "    ready.set('beside', beside)\n",
    breaks: 'A few messages of one customer do not keep a whole group for their round trips.',
    promise: 'GROW-42',
    killedBy: { 'test/store/postgres/grow.test.ts': 'lets a second message of a customer wait' },
  },
  {
    file: 'src/store/postgres/group-commit.ts',
    from: 'if (firsts.length > 0 && (beside.length - firsts.length) * FIRSTS_FOR_EACH <= firsts.length)',
    to: 'if (firsts.length > 0)',
    breaks: 'In a storm of one customer all that waits shares a group.',
    promise: 'GROW-42',
    killedBy: { 'test/store/postgres/grow.test.ts': 'or shares the group' },
  },
  {
    file: 'src/store/customers.ts',
    from: "WHERE id = ${item} AND kind = 'message'), 0)), 0)",
    to: "WHERE id = ${item} AND kind = 'none'), 0)), 0)",
    breaks: 'A message that was handled while another waited makes an earlier one late.',
    promise: 'GROW-41',
    killedBy: { 'test/store/sqlite.test.ts': 'says of an earlier one that it comes late' },
  },
] satisfies Mutant[]
