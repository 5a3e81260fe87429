import type { MarkdownRenderer } from 'vitepress'

/** A column without a title has no head that a reader could be told: its cell is an ordinary one. */
export function emptyHeads(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push('empty-heads', ({ tokens }) => {
    tokens.forEach((token, at) => {
      const close = tokens[at + 2]
      if (token.type !== 'th_open' || close?.type !== 'th_close' || tokens[at + 1]?.content !== '') return
      token.tag = 'td'
      close.tag = 'td'
    })
  })
}
