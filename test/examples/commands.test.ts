import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '../..')
const { scripts } = JSON.parse(readFileSync(`${root}/package.json`, 'utf8')) as { scripts: Record<string, string> }
const examples = readdirSync(`${root}/examples`).filter((name) => name !== 'demo')

it.for(examples)('the README of %s names the command that runs it', (name) => {
  const readme = readFileSync(`${root}/examples/${name}/README.md`, 'utf8')
  const command = /```sh\nnpm (?:run )?(\S+)\n```/.exec(readme)?.[1] ?? ''
  const started = [...(scripts[command] ?? '').matchAll(/examples\/\S+\.ts/g)].map(([file]) => file)
  expect(started).toEqual([expect.stringMatching(new RegExp(`^examples/${name}/`))])
  expect(existsSync(`${root}/${started[0]}`)).toBe(true)
})
