import { describe, expect, it } from 'vitest'
import { createHandles } from '../../src/admin/handles.ts'

const ASHA = { number: 'default', customer: '255712000101' }
const handles = createHandles(Buffer.alloc(32, 7))

describe('the handles of the admin page', () => {
  it('name a customer to every process of a database, and do not show the phone number', () => {
    const handle = handles.handleOf(ASHA)
    expect(createHandles(Buffer.alloc(32, 7)).customerOf(handle)).toEqual(ASHA)
    expect(handle).toMatch(/^[\w-]+$/)
    expect(Buffer.from(handle, 'base64url').toString('latin1')).not.toContain('2557')
  })

  it('differ each time, so that nobody can compare them', () => {
    expect(handles.handleOf(ASHA)).not.toBe(handles.handleOf(ASHA))
  })

  it('cannot be invented, altered, or brought from another database', () => {
    const handle = handles.handleOf(ASHA)
    const altered = `${handle.slice(0, 20)}${handle[20] === 'A' ? 'B' : 'A'}${handle.slice(21)}`
    const foreign = createHandles(Buffer.alloc(32, 8)).handleOf(ASHA)
    for (const wrong of ['', 'x', handle.slice(0, -4), altered, foreign])
      expect(() => handles.customerOf(wrong), wrong).toThrow(expect.objectContaining({ code: 'invalid' }))
  })
})
