/** The result of a tool as a model gets it: no longer than a model can use, and saying so. */
export function cutResult(text: string, most: number): string {
  if (text.length <= most / 4) return text
  const bytes = Buffer.from(text)
  if (bytes.length <= most) return text
  const whole = bytes
    .subarray(0, most)
    .toString()
    .replace(/\uFFFD$/, '')
  return `${whole}\n[cut: ${bytes.length - most} more bytes. Ask for less, such as with \`limit\`.]`
}
