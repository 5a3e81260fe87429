import type { Plugin } from 'postcss'

/**
 * A script puts the class `dark` on a page for readers who prefer that. Without scripts the same rules hold by what the
 * browser says of its reader.
 */
export const darkWithoutScript: Plugin = {
  postcssPlugin: 'dark-without-script',
  OnceExit(root, { AtRule }) {
    const media = new AtRule({ name: 'media', params: '(scripting: none) and (prefers-color-scheme: dark)' })
    root.walkRules(/^(?:html)?\.dark\b/, (rule) => {
      media.append(rule.clone({ selectors: rule.selectors.map(ofEveryPage) }))
    })
    if (media.nodes?.length) root.append(media)
  },
}

function ofEveryPage(selector: string): string {
  return selector.replace(/^(?:html)?\.dark/, ':root')
}
