import type { Command } from 'commander'
import { example } from '../support/arguments.ts'
import type { Io } from '../support/io.ts'
import { addExport } from './export.ts'
import { addReport } from './report.ts'

export function addCommand(payload: Command, io: Io): void {
  payload.addHelpText('after', EXAMPLE)
  addReport(payload, io)
  addExport(payload, io)
}

const EXAMPLE = example('switchhook payload report')
