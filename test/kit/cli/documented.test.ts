import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { describe, expect, it } from 'vitest'
import { allCommands, commandsOf, withFlags } from '../../../docs/.vitepress/commands.ts'

const read = (file: string) => readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8')

/** What docs/cli.md says of each command. */
const sections = new Map(
  read('docs/cli.md')
    .split(/^### switchhook /m)
    .slice(1)
    .map((section) => {
      const [name = '', ...lines] = section.split('\n')
      return [name, lines.join('\n').replace(/^## [^]*$/m, '')] as const
    }),
)
const commands = await allCommands()

describe('docs/cli.md', () => {
  it('describes every command, and no other', () => {
    const described = [...sections.keys()].flatMap((section) => commandsOf(section, commands).map(([name]) => name))
    expect(described.sort()).toEqual([...commands.keys()].sort())
  })

  it('lists every command at its top, with a link', () => {
    const top = read('docs/cli.md').split(/^## /m)[0] ?? ''
    const listed = [...top.matchAll(/\[([a-z -]+)\]\(#switchhook-([a-z-]+)\)/g)]
    expect(listed.map(([, name = '']) => name).sort()).toEqual([...sections.keys()].sort())
    for (const [, name = '', anchor] of listed) expect(anchor).toBe(name.replaceAll(' ', '-'))
  })

  it.for([...sections])('%s: shows the example of its help, and only flags that it has', ([name, text]) => {
    const examples = [...text.matchAll(/^ {4}\$ (.*)$/gm)].map(([, example]) => example)
    const described = commandsOf(name, commands)
    for (const [index, [one]] of described.entries())
      expect(helpOf(one)).toContain(`Example:\n  $ ${examples[index]}\n`)
    const own = text.replaceAll(/\bnode --[^`\n]*/g, '')
    const flags = [...own.matchAll(/(?<![\w-])--[a-z][a-z-]+/g)].map(([flag]) => flag)
    const has = described.flatMap(([, command]) => command.options.map(({ long }) => long))
    expect(has).toEqual(expect.arrayContaining(flags))
  })
})

describe('the page of the site about the command line', () => {
  const page = withFlags(read('docs/cli.md'), commands)

  it.for([...commands])('%s: has every argument and flag in its own section', ([name, command]) => {
    const group = [...sections.keys()].find((one) => name === one || name.startsWith(`${one} `))
    const section = page.split(/^### switchhook /m).find((text) => text.startsWith(`${group}\n`)) ?? ''
    for (const { flags } of command.options.filter(({ hidden }) => !hidden))
      expect(section).toContain(`| \`${flags}\` |`)
    expect(section).toContain(`\`switchhook ${name} [options]`)
  })

  it('has everything else unchanged', () => {
    const added = /^All of `switchhook [^]*?\n\n(?=#|$(?![^]))/gm
    const lines = (text: string) => text.split('\n').filter((line) => line !== '')
    expect(lines(page.replaceAll(added, ''))).toEqual(lines(read('docs/cli.md')))
  })
})

/** The printed help, with the texts after the flags. */
function helpOf(name: string): string {
  const command = commands.get(name) as Command
  let help = ''
  command.configureOutput({ writeOut: (text) => (help += text) })
  command.outputHelp()
  return help
}
