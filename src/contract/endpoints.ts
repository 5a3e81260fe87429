/** Every path begins with this (GEN-01). */
export const API_PREFIX = '/api/v2'

/** The whole service: two endpoints, and its own description. */
export const ENDPOINTS = {
  send: { method: 'POST', path: '/messages' },
  templates: { method: 'GET', path: '/templates' },
  description: { method: 'GET', path: '/openapi.json' },
  docs: { method: 'GET', path: '/docs' },
} as const
