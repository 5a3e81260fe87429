import { Command } from 'commander'
import { COMMANDS } from '../../src/cli/program.ts'
import { createIo } from '../../src/cli/support/io.ts'

/** Every command that does something, by its whole name: `inbox ls`. */
export async function allCommands(): Promise<Map<string, Command>> {
  const program = new Command('switchhook')
  for (const { load } of COMMANDS) (await load())(program, createIo(process))
  return new Map(leavesOf(program, []).map(({ name, command }) => [name, command]))
}

function leavesOf(command: Command, path: readonly string[]): { name: string; command: Command }[] {
  if (command.commands.length === 0) return [{ name: path.join(' '), command }]
  return command.commands.flatMap((one) => leavesOf(one, [...path, one.name()]))
}
