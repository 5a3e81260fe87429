/**
 * Reads server-sent events as the emulator writes them, one line of data each, until they end. What has no data, a
 * greeting or a beat, is undefined.
 */
export async function* dataIn({ body }: Response): AsyncGenerator<string | undefined, void, void> {
  let text = ''
  for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const frames = `${text}${chunk}`.split('\n\n')
    text = frames.pop() ?? ''
    for (const frame of frames) yield /^data: (.*)$/m.exec(frame)?.[1]
  }
}
