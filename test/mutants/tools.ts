import type { Mutant } from './driver/mutant.ts'

const DELIVERIES = 'test/emulator/deliveries.test.ts'

/** The emulator, the admin page, the command line and the helpers of an app. */
export default [
  {
    file: 'src/emulator/control/control-routes.ts',
    from: 'if (needsToken(request) && !carriesToken',
    to: 'if (!needsToken(request) && !carriesToken',
    breaks: 'Each change needs the control token.',
    killedBy: { 'test/emulator/control.test.ts': 'needs the run’s control token for every change and every look' },
  },
  {
    file: 'src/emulator/deliver/request.ts',
    from: 'update(signedPrefix(timestamp)).update(body)',
    to: 'update(body)',
    breaks: 'The emulator signs timestamp and body, as the specification says.',
    killedBy: { [DELIVERIES]: 'is signed over its timestamp and exact bytes, and names its event in a header' },
  },
  {
    file: 'src/emulator/service/approve.ts',
    from: 'now - lastInboundAt < WINDOW_MS',
    to: 'now - lastInboundAt <= WINDOW_MS',
    breaks: 'The window is closed at exactly 24 hours.',
    killedBy: { 'test/emulator/window.test.ts': 'is open to the last millisecond of 24 hours' },
  },
  {
    file: 'src/admin/admin-routes.ts',
    from: "if (!(await visitor.mayAct())) throw new Refused('read_only', 'You may view everything and change nothing.')",
    to: '',
    breaks: 'A person with readOnly changes nothing.',
    killedBy: { 'test/admin/answers.test.ts': 'change nothing for a person with readOnly' },
  },
  {
    file: 'src/admin/query.ts',
    from: 'customer: revealed ? customer : maskPhone(customer)',
    to: 'customer',
    breaks: 'A customer’s number is masked.',
    killedBy: { 'test/admin/answers.test.ts': 'number, name or text in any view' },
  },
  {
    file: 'src/admin/search.ts',
    from: 'const mayMatch = mayReveal ||',
    to: 'const mayMatch = true ||',
    breaks: 'A person without reveal cannot guess numbers by searching.',
    killedBy: { 'test/admin/answers.test.ts': 'find nothing by a number for a person without reveal' },
  },
  {
    file: 'src/admin/door.ts',
    from: "site !== undefined && site !== 'same-origin' && site !== 'none'",
    to: 'false',
    breaks: 'Another site’s page gets nothing, and changes nothing.',
    killedBy: { 'test/admin/door.test.ts': 'shows nothing to a script of another site' },
  },
  {
    file: 'src/kit/cli/support/running-emulator.ts',
    from: 'isNote && isLoopback(url as string)',
    to: 'isNote',
    breaks: 'A note in somebody’s repository leads no command to another machine.',
    killedBy: { 'test/kit/cli/running-emulator.test.ts': 'ignore a note that points to another machine' },
  },
  {
    file: 'src/kit/cli/send.ts',
    from: 'if (!live)',
    to: 'if (false)',
    breaks: 'A send to a real phone needs --live.',
    killedBy: { 'test/kit/cli/send.test.ts': 'is refused without --live' },
  },
  {
    file: 'src/store/outbox/opt-outs.ts',
    from: "if (says === 'out') yield* optOut(said)",
    to: '',
    breaks: 'A customer who wrote STOP gets no marketing.',
    killedBy: { 'test/features/comfort/stop.test.ts': 'gets no marketing until START, and all other messages' },
  },
] satisfies Mutant[]
