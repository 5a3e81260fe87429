import { Command } from 'commander'
import { COMMANDS } from '../../src/kit/cli/program.ts'
import { createIo } from '../../src/kit/cli/support/io.ts'

/** The page about the command line. */
export const COMMAND_PAGE = 'docs/cli.md'

/** Every command that does something, by its whole name: `inbox ls`. */
export async function allCommands(): Promise<Map<string, Command>> {
  const program = new Command('switchhook')
  for (const [name, , load] of Object.values(COMMANDS).flat())
    (await load()).addCommand(program.command(name), createIo(process))
  return new Map(leavesOf(program, []).map(({ name, command }) => [name, command]))
}

function leavesOf(command: Command, path: readonly string[]): { name: string; command: Command }[] {
  if (command.commands.length === 0) return [{ name: path.join(' '), command }]
  return command.commands.flatMap((one) => leavesOf(one, [...path, one.name()]))
}

/** The commands of a section: one, or all of a group that has one section. */
export function commandsOf(section: string, commands: ReadonlyMap<string, Command>): [string, Command][] {
  return [...commands].filter(([name]) => name === section || name.startsWith(`${section} `))
}

/** The page about the command line with all arguments and flags of each command, as the commands declare them. */
export function withFlags(page: string, commands: ReadonlyMap<string, Command>): string {
  const [before = '', ...sections] = page.split(/^(?=### switchhook )/m)
  return before + sections.map(sectionWithFlags).join('')

  function sectionWithFlags(section: string): string {
    const [, name = ''] = /^### switchhook (.*)/.exec(section) ?? []
    const described = commandsOf(name, commands)
    // The last section of a chapter ends where the next chapter begins.
    const [own = '', next = ''] = section.split(/^(?=## )/m)
    const flags = described.map(([one, command]) => `${flagsOf(one, command)}\n\n`).join('')
    return described.length === 0 ? section : `${own.trimEnd()}\n\n${flags}${next}`
  }
}

function flagsOf(name: string, command: Command): string {
  const usage = `\`switchhook ${name} ${command.usage()}\``
  const help = command.createHelp()
  const rows = [
    ...help.visibleArguments(command).map((one) => [help.argumentTerm(one), help.argumentDescription(one)]),
    ...help.visibleOptions(command).map((one) => [help.optionTerm(one), help.optionDescription(one)]),
  ].map(([term = '', description = '']) => `| \`${cell(term)}\` | ${cell(description)} |`)
  return [`All of ${usage}:`, '', '| argument or flag | |', '|---|---|', ...rows].join('\n')
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ')
}
