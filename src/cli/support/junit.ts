import { writeFileSync } from 'node:fs'
import { reasonOf } from '../../base/errors.ts'
import { escapeHtml } from '../../base/html.ts'

/** Characters that XML cannot represent. */
const UNWRITABLE = /[^\t\n\r\x20-\uD7FF\uE000-\uFFFD]/g

/** Escapes a text for XML, attributes included. */
export function escapeXml(text: string): string {
  return escapeHtml(text.replaceAll(UNWRITABLE, '?'))
}

export function writeReport(file: string, xml: string): void {
  try {
    writeFileSync(file, xml)
  } catch (error) {
    throw new Error(`the report cannot be written to ${file}: ${reasonOf(error)}`, { cause: error })
  }
}
