import type { Command } from 'commander'
import { readPort } from '../arguments.ts'
import { doctor } from '../doctor/doctor.ts'
import { example } from '../example.ts'

/** `switchhook doctor`: what is wrong with a set-up, before a customer finds out. */
export function addDoctor(program: Command): void {
  program
    .command('doctor')
    .description("check the set-up by the app's environment: a line each, with the mend; exits with 1 where one is bad")
    .option('--prod', 'be as strict as production needs')
    .option('--webhook <url>', 'the address that the service delivers to; it is asked once, without a signature')
    .option('--port <port>', 'on which the app listens', readPort, 3000)
    .option('--json', 'one object a line on stdout: {"id":"clock","state":"ok","says":"…"}')
    .addHelpText('after', example('switchhook doctor --prod --webhook https://shop.example/webhooks/messages'))
    .action(doctor)
}
