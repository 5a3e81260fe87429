import { type Command, Option } from 'commander'
import { TIMESTAMP_TOLERANCE_SECONDS } from '../../contract/delivery.ts'
import { readCount } from '../arguments.ts'
import { PREFIX, SECRET, YES } from '../deliveries/receiver.ts'
import { TAMPERINGS } from '../deliveries/signed.ts'
import { replay } from '../replay/replay.ts'
import { CONTROL_TOKEN, EMULATOR } from '../running-emulator.ts'

/** `switchhook replay`: what was delivered, once more. */
export function addReplay(program: Command): void {
  program
    .command('replay')
    .description(
      'deliver once more what the running emulator, or an app, has received: the same id and bytes, signed now',
    )
    .argument('<which>', "a delivery's id, last, or failed: all whose last attempt was not taken")
    .option('--exact', 'with the timestamp and signature of then, too')
    .addOption(new Option('--tamper <what>', 'change something after it was signed').choices(TAMPERINGS))
    .option('--offset <span>', 'signed as of another time: -301s, +5m')
    .option('--duplicate [n]', 'so many at the same time (default: 2)', readCount)
    .option('--to <url>', 'to this receiver, signed here, instead of where it went')
    .option('--database <file>', "out of an app's inbox instead of the emulator: its ids, or their numbers (SEQ)")
    .option(...SECRET)
    .option(...PREFIX)
    .option(...YES)
    .option(...EMULATOR)
    .option(...CONTROL_TOKEN)
    .option('--json', 'one object a line on stdout: {"event":"…","id":"01J…","status":200,"ms":23,"ok":true}')
    .addHelpText('after', HELP)
    .action(replay)
}

const HELP = `
Exit codes: 0 each was answered as it must be (2xx; 4xx where it was tampered with or is more than ${TIMESTAMP_TOLERANCE_SECONDS} s old), 1 one was
not, 2 usage, 3 no emulator or receiver answers, 4 --to is not this machine and there is no --yes.

Example:
  $ switchhook replay last --tamper signature
`
