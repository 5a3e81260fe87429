/** Yields the data of each server-sent event until the stream ends; undefined for an event without data. */
export async function* readEventData({ body }: Response): AsyncGenerator<string | undefined, void, void> {
  // Some browsers cannot iterate over the body.
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
