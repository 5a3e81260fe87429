import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, relative } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pack, root, runScript, succeeds } from './packed.ts'
import { answerOf, FIRST_WORDS, TEMPLATES } from './try-out.ts'

/**
 * The package as it is packed, in a folder whose other packages are the repository's own: so nothing is fetched.
 * `on-every-node.ts` installs all of it.
 */
let folder: string
let tarball: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'switchhook-templates-'))
  tarball = await pack(folder)
  const packages = join(folder, 'node_modules')
  mkdirSync(join(packages, '.bin'), { recursive: true })
  for (const name of readdirSync(join(root, 'node_modules')).filter((each) => !each.startsWith('.')))
    symlinkSync(join(root, 'node_modules', name), join(packages, name))
  await succeeds('tar', ['-xzf', tarball, '-C', packages], folder)
  await succeeds('mv', ['package', 'switchhook'], packages)
  for (const name of ['node', 'vitest', 'tsc'])
    symlinkSync(join(root, 'node_modules/.bin', name), join(packages, '.bin', name))
  symlinkSync('../switchhook/bin/switchhook.js', join(packages, '.bin/switchhook'))
  const dependencies = { switchhook: `file:${relative(folder, tarball)}` }
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('a bot that the packed switchhook writes', () => {
  // The languages take turns here; `on-every-node.ts` tries each template in both, on different versions of Node.
  const inALanguage = TEMPLATES.map((template, place) => [template, place % 2 === 0 ? 'en' : 'sw'] as const)

  it.concurrent.for(inALanguage)(
    'as %s in %s type-checks, passes its tests, starts and answers its first customer',
    async ([template, language], { expect }) => {
      const project = join(folder, `${template}-${language}`)
      // In production mode npm would leave out what tests; and nobody's own variables count.
      const environment = { NODE_ENV: '' }
      await succeeds(
        'node_modules/.bin/switchhook',
        ['init', basename(project), '--template', template, '--language', language, '--yes'],
        folder,
      )
      const { dependencies } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'))
      expect(dependencies.switchhook).toBe(`file:../packed/${basename(tarball)}`)
      for (const name of ['types', 'test']) await runScript(project, name, environment)
      expect(await answerOf(project, template, environment)).toBe(FIRST_WORDS[template][language])
    },
  )

  it('is written by create-switchhook as well, which is of the same version', async () => {
    const own = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    const create = JSON.parse(readFileSync(join(root, 'create/package.json'), 'utf8'))
    expect([create.version, create.dependencies.switchhook]).toEqual([own.version, own.version])
    cpSync(join(root, 'create'), join(folder, 'node_modules/create-switchhook'), { recursive: true })
    await succeeds(process.execPath, ['node_modules/create-switchhook/create.js', 'created', '--yes'], folder)
    expect(JSON.parse(readFileSync(join(folder, 'created/package.json'), 'utf8')).name).toBe('created')
  })
})
