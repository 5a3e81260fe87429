import { readFileSync } from 'node:fs'
import { defineConfig } from 'vitepress'
import { chapters } from './contents.ts'
import { entries } from './entries.ts'
import { slugOf } from './links.ts'
import { siteFileOf } from './stage.ts'
import { darkWithoutScript } from './dark-without-script.ts'
import { readPlainMarkdown } from './plain-markdown.ts'

const api = {
  text: 'API',
  collapsed: true,
  items: entries().map(({ name, page }) => ({ text: name, link: `/${page}` })),
}
const icon = readFileSync(new URL('../../src/pages/ui/icon.svg', import.meta.url), 'utf8')
const iconAddress = `data:image/svg+xml,${encodeURIComponent(icon)}`

export default defineConfig({
  title: 'Switchhook',
  description: 'Bots on the Messaging Developer API v2: nothing lost, and nothing doubled.',
  lang: 'en',
  srcDir: '.vitepress/build',
  outDir: '.vitepress/dist',
  cacheDir: '.vitepress/build/.cache',
  head: [['link', { rel: 'icon', href: iconAddress }]],
  // check.ts judges links: it knows headings too.
  ignoreDeadLinks: true,
  markdown: {
    html: false,
    config: readPlainMarkdown,
    // A brace at the end of a line is a text as well; pages that are generated name their anchors as {:#name}.
    attrs: { leftDelimiter: '{:' },
    anchor: { slugify: slugOf },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
  },
  themeConfig: {
    logo: iconAddress,
    // The list of all pages would repeat the title of each result.
    search: {
      provider: 'local',
      options: { _render: (text, env, md) => (env.relativePath === 'contents.md' ? '' : md.render(text, env)) },
    },
    outline: [2, 3],
    nav: [
      { text: 'Tutorial', link: '/guide' },
      { text: 'All pages', link: '/contents' },
    ],
    sidebar: chapters().map(({ title, pages }) => ({
      text: title,
      items: [
        ...(title === 'Reference' ? [api] : []),
        ...pages.map((page) => ({ text: page.title, link: `/${siteFileOf(page.file)}` })),
      ],
    })),
    externalLinkIcon: false,
  },
  vite: {
    css: { postcss: { plugins: [darkWithoutScript] } },
    // The index of the search is larger than what Vite expects of a script.
    build: { chunkSizeWarningLimit: 2_000 },
  },
})
