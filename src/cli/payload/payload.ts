import type { Command } from 'commander'
import { example } from '../support/arguments.ts'
import type { Io } from '../support/io.ts'
import { addExport } from './export.ts'
import { addLock } from './lock.ts'
import { addReport } from './report.ts'
import { addTypes } from './types.ts'

export function addCommand(payload: Command, io: Io): void {
  payload.addHelpText('after', EXAMPLE)
  addReport(payload, io)
  addTypes(payload, io)
  addExport(payload, io)
  addLock(payload, io)
}

const EXAMPLE = example('switchhook payload types --out src/payloads.d.ts')
