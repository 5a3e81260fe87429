import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface Violation {
  readonly id: string
  readonly nodes: readonly { readonly target: readonly string[] }[]
}

/** The violations that axe-core finds, of all its rules or of these: the rule and the element. */
export async function violations(page: Page, only?: readonly string[]): Promise<string[]> {
  // Through the debugger, since the page's own policy lets no foreign script in. Collecting what passed takes most of the time.
  if (!(await page.evaluate('typeof axe === "object"'))) await page.evaluate(AXE)
  const options = { resultTypes: ['violations'], preload: false, ...(only && { runOnly: only }) }
  const { violations: found } = await page.evaluate<{ violations: Violation[] }>(`axe.run(${JSON.stringify(options)})`)
  return found.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`))
}
