import { matchesGlob } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readGlob } from '../../src/cli/dev/watch.ts'

const PATHS = [
  'a.ts',
  'a.mts',
  'src/a.ts',
  'src/a.js',
  'src/b/c.ts',
  'src/b/d/e.ts',
  'srcs/a.ts',
  'src/a(1).ts',
  'src/x+y.ts',
  'src/(shop)/[id]/page.ts',
  'prompts/hello.md',
  'prompts/sw/hello.md',
]
const GLOBS = ['*.ts', '**/*.ts', 'src/*.ts', 'src/**', 'src/**/*.ts', 'src/?.ts', 'src/*.{ts,js}', '**/hello.md', '*']

describe('what --watch means', () => {
  it('is what Node takes a glob for', () => {
    for (const glob of GLOBS)
      expect([glob, PATHS.filter((path) => readGlob(glob).matches(path))]).toEqual([
        glob,
        PATHS.filter((path) => matchesGlob(path, glob)),
      ])
  })

  it('is all that is in a folder, or one file, if it has no wildcard', () => {
    const inside = (glob: string) => PATHS.filter((path) => readGlob(glob).matches(path))
    expect(inside('./src/')).toEqual(PATHS.filter((path) => path.startsWith('src/')))
    expect(inside('a.ts')).toEqual(['a.ts'])
  })

  it('is everything if it is the folder itself', () => {
    for (const glob of ['.', './']) expect(PATHS.filter((path) => readGlob(glob).matches(path))).toEqual(PATHS)
  })

  it('has no other wildcards: brackets and parentheses stand in the names of folders', () => {
    expect(readGlob('src/(shop)/[id]/*.ts').matches('src/(shop)/[id]/page.ts')).toBe(true)
  })

  it('takes braces with one alternative for that one, and quotation marks for themselves', () => {
    expect(readGlob('src/*.{test.ts}').matches('src/a.test.ts')).toBe(true)
    expect(readGlob('{src}/{a,b}.{ts}').matches('src/b.ts')).toBe(true)
    expect(readGlob('src/"x"*.md').matches('src/"x"1.md')).toBe(true)
    expect(readGlob('src/"x"*.md').matches('src/x1.md')).toBe(false)
  })

  it('is looked for in the folder before the first wildcard', () => {
    expect(['src/**/*.ts', '*.ts', 'prompts', '../shared/*.md'].map((glob) => readGlob(glob).root)).toEqual([
      'src',
      '.',
      'prompts',
      '../shared',
    ])
  })
})
