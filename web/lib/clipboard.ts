/** Resolves with true once the text is on the clipboard, and with false if the browser denies it. */
export async function copyText(text: string | Promise<string>): Promise<boolean> {
  try {
    await write(text)
    return true
  } catch {
    // Denied, or a page without HTTPS; copying a selection works in the second case.
    return copyBySelection(await text)
  }
}

/** Safari accepts a write only during the user's press, so a text that arrives later is passed as a promise. */
async function write(text: string | Promise<string>): Promise<void> {
  if (typeof text === 'string' || !('ClipboardItem' in globalThis)) return navigator.clipboard.writeText(await text)
  const blob = text.then((content) => new Blob([content], { type: 'text/plain' }))
  return navigator.clipboard.write([new ClipboardItem({ 'text/plain': blob })])
}

function copyBySelection(text: string): boolean {
  const focused = document.activeElement
  const area = document.createElement('textarea')
  area.value = text
  area.setAttribute('readonly', '')
  area.style.position = 'fixed'
  area.style.opacity = '0'
  document.body.append(area)
  area.select()
  const copied = document.execCommand('copy')
  area.remove()
  if (focused instanceof HTMLElement) focused.focus({ preventScroll: true })
  return copied
}
