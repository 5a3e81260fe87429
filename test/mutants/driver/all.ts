import { readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Mutant } from './mutant.ts'

const folder = resolve(import.meta.dirname, '..')

/** Every mutant, in the order of the files beside this folder. */
export async function allMutants(): Promise<Mutant[]> {
  const files = readdirSync(folder).filter((name) => name.endsWith('.ts'))
  const modules = await Promise.all(
    files.sort().map((name) => import(join(folder, name)) as Promise<{ default: Mutant[] }>),
  )
  return modules.flatMap((module) => module.default)
}
