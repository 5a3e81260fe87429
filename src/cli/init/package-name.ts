import { builtinModules } from 'node:module'

const LONGEST = 214
const FORM = /^(?:@[a-z0-9~][a-z0-9-._~]*\/)?[a-z0-9~][a-z0-9-._~]*$/

/** What the templates depend on: a project of that name would find itself in its place. */
const TAKEN = ['switchhook', 'express', 'zod', 'vitest', 'typescript', 'node', 'node_modules', 'favicon.ico']

/** What is wrong with the name of a package, by npm's rules; undefined where nothing is. */
export function wrongWith(name: string): string | undefined {
  if (name.length > LONGEST) return `it has more than ${LONGEST} characters`
  if (!FORM.test(name)) return 'only lower-case letters, digits, - . _ and ~ may be in it, and - . _ not at its start'
  if (TAKEN.includes(name) || builtinModules.includes(name)) return 'that is the name of something that it uses'
  return undefined
}

/** A name made of a folder's; undefined where nothing can be made of it. */
export function nameFrom(folder: string): string | undefined {
  const name = folder
    .normalize('NFD')
    .toLowerCase()
    .replaceAll(/[\u0300-\u036F]/g, '')
    .replaceAll(/[^a-z0-9~._-]+/g, '-')
    .replaceAll(/^[-._]+|-+$/g, '')
    .slice(0, LONGEST)
  return wrongWith(name) === undefined ? name : undefined
}
