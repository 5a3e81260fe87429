import { it } from 'vitest'
import { expectOneTrace } from './traced-roles.ts'

it('a delivery that one process receives and another handles arrives in their exporters as one trace', () =>
  expectOneTrace())
