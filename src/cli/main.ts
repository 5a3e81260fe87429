import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { addContract } from './commands/contract.ts'
import { addDev } from './commands/dev.ts'
import { addDoctor } from './commands/doctor.ts'
import { addEmulator } from './commands/emulator.ts'
import { addInbox } from './commands/inbox.ts'
import { addOutbox } from './commands/outbox.ts'
import { addPayload } from './commands/payload.ts'
import { addTemplates } from './commands/templates.ts'
import { addVerify } from './commands/verify.ts'
import { exitCodeOf } from './exit.ts'

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string
}

const program = new Command('switchhook')
  .description('Bots on the Messaging Developer API v2, and the service itself on your machine.')
  .version(version)
  .addHelpText('after', '\nExample:\n  $ switchhook dev -- node bot.js\n')
  .exitOverride()

addContract(program)
addDev(program)
addDoctor(program)
addEmulator(program)
addInbox(program)
addOutbox(program)
addPayload(program)
addTemplates(program)
addVerify(program)

try {
  await program.parseAsync()
} catch (error) {
  process.exitCode = exitCodeOf(error)
}
