/** Calls a route handler as Next does: with the method's function and a `Request`. */
import { serve } from '@hono/node-server'
import * as route from '../../../examples/mounting/next-route.ts'

const methods: Readonly<Record<string, unknown>> = { ...route }
serve({
  port: Number(process.env['PORT']),
  fetch(request) {
    const handle = methods[request.method] as ((request: Request) => Promise<Response>) | undefined
    return handle ? handle(request) : new Response(undefined, { status: 405 })
  },
})
