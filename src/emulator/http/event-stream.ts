/**
 * Reads server-sent events, each with one line of data, until the stream ends. Yields undefined for an event without
 * data: a greeting or a heartbeat.
 */
export async function* readEventData({ body }: Response): AsyncGenerator<string | undefined, void, void> {
  // Not `for await` over the body, because some browsers cannot iterate a stream.
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  try {
    for (;;) {
      const part = await reader?.read()
      if (part === undefined || part.done) return
      const frames = (text + part.value).split('\n\n')
      text = frames.pop() ?? ''
      for (const frame of frames) yield /^data: (.*)$/m.exec(frame)?.[1]
    }
  } finally {
    reader?.cancel().catch(() => undefined)
  }
}
