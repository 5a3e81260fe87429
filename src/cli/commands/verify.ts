import type { Command } from 'commander'
import { PREFIX, SECRET, YES } from '../deliveries/receiver.ts'
import { verify } from '../verify/verify.ts'

/** `switchhook verify URL`: whether any receiver does what the service expects. */
export function addVerify(program: Command): void {
  program
    .command('verify')
    .description('fire the conformance matrix at a running receiver, also one without this library')
    .argument('<url>', 'where it takes deliveries')
    .option(...SECRET)
    .option(...PREFIX)
    .option('--only <ids>', 'these checks or rules alone, separated by commas: SIG-05,again')
    .option('--observe <command>', 'prints how many effects there are, such as rows or replies; else none are judged')
    .option('--timeout <span>', 'how long an answer may take (default: 10s)')
    .option('--junit <file>', "where a report in JUnit's XML goes")
    .option('--json', 'one object a line on stdout: {"kind":"check",…}, and {"kind":"score",…} at the end')
    .option(...YES)
    .addHelpText('after', EXAMPLE)
    .action(verify)
}

const EXAMPLE = `
Exit codes: 0 all that must hold holds, 1 something falls, 2 usage, 3 out of reach, 4 not this machine and no --yes.

Example:
  $ switchhook verify http://127.0.0.1:3000/webhooks/messages --secret whsec_… --observe 'wc -l < replies.log'
`
