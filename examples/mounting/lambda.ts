/** A Lambda function behind a function URL or an HTTP API. It stores deliveries; `worker.ts` handles them. */
import { webhook } from 'switchhook/fetch'
import { bot } from './bot.ts'

const receive = webhook(bot)
await bot.start({ role: 'receive' })

interface HttpEvent {
  readonly rawPath: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly isBase64Encoded: boolean
  readonly requestContext: { readonly http: { readonly method: string } }
}

export async function handler({ rawPath, headers, body, isBase64Encoded, requestContext }: HttpEvent) {
  const answer = await receive(
    new Request(`https://lambda.invalid${rawPath}`, {
      method: requestContext.http.method,
      headers,
      // The exact bytes: the signature is over them.
      ...(body !== undefined && { body: Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8') }),
    }),
  )
  return { statusCode: answer.status, headers: Object.fromEntries(answer.headers), body: await answer.text() }
}
