import type { MarkdownRenderer } from 'vitepress'

/** Reads pages as GitHub does: they are Markdown alone, though the generator makes components of Vue of them. */
export function readPlainMarkdown(markdown: MarkdownRenderer): void {
  const { rules } = markdown.renderer
  const { escapeHtml } = markdown.utils
  // Two braces are a text, and no expression, in code too.
  const plain = (text = '') => escapeHtml(text).replaceAll('{', '&#123;')
  rules['text'] = (tokens, at) => plain(tokens[at]?.content)
  rules['code_inline'] = (tokens, at) => `<code>${plain(tokens[at]?.content)}</code>`
  // Code is indented for a command's example, and in docstrings.
  rules['code_block'] = (tokens, at, options, env, self) => {
    const token = tokens[at]
    if (token) token.info = token.content.startsWith('$ ') ? 'sh' : 'ts'
    return rules['fence']?.(tokens, at, options, env, self) ?? ''
  }
  markdown.core.ruler.push('empty-heads', ({ tokens }) => {
    tokens.forEach((token, at) => {
      // A column without a title has no head that a screen reader could announce: its cell is an ordinary one.
      const close = tokens[at + 2]
      if (token.type !== 'th_open' || close?.type !== 'th_close' || tokens[at + 1]?.content !== '') return
      token.tag = 'td'
      close.tag = 'td'
    })
  })
}
