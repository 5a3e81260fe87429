import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Takes a feature out of a copy of the sources: its folder, and its lines in the lists of built-in features. */
export function takeOut(feature: string, copy: string): void {
  rmSync(join(copy, 'src/features', feature), { recursive: true })
  for (const list of globSync('src/built-in/*.ts', { cwd: copy })) {
    const file = join(copy, list)
    writeFileSync(file, withoutLines(readFileSync(file, 'utf8'), feature))
  }
}

/** A type of the feature is one of those that an intersection has. */
function withoutLines(list: string, feature: string): string {
  const from = String.raw`\{([^}]*)\} from '\.\./features/${feature}/[^']*'\n`
  let left = list.replaceAll(new RegExp(`^export (?:type )?${from}`, 'gm'), '')
  for (const [line, names = ''] of list.matchAll(new RegExp(`^import type ${from}`, 'gm'))) {
    left = left.replace(line, '')
    for (const name of names.split(','))
      left = left.replaceAll(new RegExp(String.raw` & ${name.trim()}\b(?:<[^>]*>)?`, 'g'), '')
  }
  // Without a line it is no module.
  return left === list ? list : `${left}\nexport {}\n`
}
