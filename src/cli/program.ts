import { Command } from 'commander'
import { COMMANDS, type Listed } from './commands.ts'
import { exitCodeOf } from './exit.ts'

/** Runs the command that is asked for. It alone is loaded: the others are but a line of the help. */
export async function run(version: string): Promise<void> {
  const program = new Command('switchhook')
    .description('Bots on the Messaging Developer API v2, and the service itself on your machine.')
    .version(version)
    .addHelpText('after', HELP)
    .exitOverride()
  const asked = commandIn(process.argv.slice(2))
  try {
    for (const listed of COMMANDS)
      if (listed.name === asked) (await listed.load())(program)
      else list(program, listed)
    await program.parseAsync()
  } catch (error) {
    process.exitCode = exitCodeOf(error)
  }
}

const HELP = `
Exit codes: 0 done, 1 failed, 2 usage, 3 no emulator or receiver answers, 4 refused for safety, 130 interrupted.

Example:
  $ switchhook dev -- node bot.js
`

function list(program: Command, { name, does, group }: Listed): void {
  program.command(name).description(does).helpGroup(group)
}

/** The first word; before it stand flags alone, none of which takes a value. `help dev` asks for `dev`. */
function commandIn(args: readonly string[]): string | undefined {
  const [first, second] = args.filter((word) => !word.startsWith('-'))
  return first === 'help' ? second : first
}
