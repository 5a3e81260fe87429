import type { Mutant } from './driver/mutant.ts'

export default [
  {
    file: 'src/ui/keyboard/registry.ts',
    from: "if (focus === 'writing') return undefined",
    to: '',
    breaks: 'Letters that are typed into a field are no shortcuts.',
    killedBy: { 'test/page/keys.test.ts': 'in a field is no shortcut, unless Ctrl or Cmd is held' },
  },
] satisfies Mutant[]
