import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Mutant } from './mutant.ts'

/** Says why a mutant no longer fits the files that it names, if it does not. */
export function staleness(root: string, { file, from, to, killedBy }: Mutant): string | undefined {
  if (!existsSync(join(root, file))) return `${file} does not exist: name the file that its code moved to.`
  const found = readFileSync(join(root, file), 'utf8').split(from).length - 1
  if (found === 0)
    return `its text is not in ${file} any more: adapt \`from\` so that the same fault is planted again, or remove the mutant if its promise is gone.`
  if (found > 1) return `its text stands ${found} times in ${file}: make \`from\` longer, until it stands once.`
  if (from === to) return 'its `to` is its `from`: say what the fault is.'
  if (Object.keys(killedBy).length === 0) return 'it names no test: say in `killedBy` which test must fail.'
  const missing = Object.keys(killedBy).find((test) => !existsSync(join(root, test)))
  if (missing !== undefined) return `${missing} does not exist: name the file that its test moved to.`
  return undefined
}
