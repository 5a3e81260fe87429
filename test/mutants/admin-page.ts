import type { Mutant } from './driver/mutant.ts'

export default [
  {
    file: 'src/admin-page/list/read-rows.ts',
    from: 'rows.push(...page)',
    to: 'rows = [...rows, ...page]',
    breaks: 'One more page of a list costs the same, however many were read.',
    killedBy: { 'test/admin/read-rows.test.ts': 'one more page of a list costs the same' },
  },
  {
    file: 'src/admin-page/state/place.ts',
    from: '`/${encodeURIComponent(o.id)}`',
    to: '`/${o.id}`',
    breaks: 'An address leads back to the thing, whatever its id is made of.',
    killedBy: { 'test/admin/place.test.ts': 'leads back to where it came from' },
  },
  {
    file: 'src/admin-page/state/place.ts',
    from: '    return id\n',
    to: '    throw new Error(id)\n',
    breaks: 'An address that was typed wrongly shows a page.',
    killedBy: { 'test/admin/place.test.ts': 'names a view and one thing of it' },
  },
] satisfies Mutant[]
