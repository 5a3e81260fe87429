import { describe, expect, it } from 'vitest'
import { createSealer } from '../../src/admin/sealed.ts'

const ASHA = { number: 'default', customer: '255712000101' }
const sealer = createSealer(Buffer.alloc(32, 7))

describe('the handles of the admin page', () => {
  it('name a customer to every process of a database alike, and do not show the number', () => {
    const handle = sealer.handleOf(ASHA)
    expect(createSealer(Buffer.alloc(32, 7)).handleOf(ASHA)).toBe(handle)
    expect(sealer.customerOf(handle)).toEqual(ASHA)
    expect(handle).toMatch(/^[\w-]+$/)
    expect(Buffer.from(handle, 'base64url').toString('latin1')).not.toContain('2557')
  })

  it('are different for different customers from their first letter on', () => {
    const first = new Set(
      Array.from({ length: 20 }, (_, n) => sealer.handleOf({ ...ASHA, customer: `25571200010${n}` }).slice(0, 8)),
    )
    expect(first.size).toBe(20)
  })

  it('cannot be made up, altered, or brought from another database', () => {
    const handle = sealer.handleOf(ASHA)
    const altered = `${handle.slice(0, -2)}${handle.endsWith('A') ? 'B' : 'A'}${handle.slice(-1)}`
    const foreign = createSealer(Buffer.alloc(32, 8)).handleOf(ASHA)
    for (const wrong of ['', 'x', altered, foreign, sealer.seal({ dueAt: 1 })])
      expect(() => sealer.customerOf(wrong), wrong).toThrow(expect.objectContaining({ code: 'invalid' }))
  })
})
