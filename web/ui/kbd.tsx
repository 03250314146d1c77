/** A key or chord, as printed on the reader's keyboard. */
const isApple = typeof navigator !== 'undefined' && /Mac|iPhone|iPad/.test(navigator.userAgent)

/** 'Mod' is Command on Apple keyboards and Control elsewhere: `chord('Mod', 'Shift', 'O')`. */
export const chord = (...keys: readonly string[]): string =>
  isApple ? keys.map((key) => appleKeys[key] ?? key).join('') : keys.map((key) => (key === 'Mod' ? 'Ctrl' : key)).join(' ')

const appleKeys: Record<string, string> = { Mod: '⌘', Shift: '⇧', Alt: '⌥' }

export function Kbd({ keys }: { readonly keys: string }) {
  return <kbd className="rounded-sm border border-border bg-muted px-1.5 py-0.5 font-mono text-xs text-muted-foreground">{keys}</kbd>
}
