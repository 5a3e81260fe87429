const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Escapes a text for use between tags of HTML or XML, or in an attribute. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (char) => ENTITIES[char] ?? char)
}
