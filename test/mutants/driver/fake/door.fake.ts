import { expect, it } from 'vitest'
import { isOpen } from './door.ts'
import { lets } from './gate.ts'

it('opens at nine', () => {
  expect([isOpen(8), isOpen(9)]).toEqual([false, true])
})

it('lets nobody in through the gate before nine either', () => {
  expect([lets(8), lets(9)]).toEqual([false, true])
})

it('is red whatever the door does', () => {
  expect(isOpen(12)).toBe(false)
})
