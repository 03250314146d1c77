/** A key or chord as printed on the user's keyboard. */
import { firstPaintText } from '../lib/i18n/first-paint-text.ts'
import { isApple, type Keys } from '../lib/shortcuts.ts'
import { t } from './texts/en.ts'

/** 'Ctrl Shift O', or '⌘⇧O' on Apple keyboards. */
export const chordOf = ({ key, mod = false, shift = false, alt = false }: Keys): string => {
  const keys = [mod && 'Mod', alt && 'Alt', shift && 'Shift', key.length === 1 ? key.toUpperCase() : key].filter((part) => part !== false)
  return isApple
    ? keys.map((part) => appleKeys[part] ?? printed[part]?.() ?? part).join('')
    : keys.map((part) => printed[part]?.() ?? part).join(' ')
}

const appleKeys: Record<string, string> = { Mod: '⌘', Shift: '⇧', Alt: '⌥', Enter: '↩' }
const printed: Record<string, () => string> = {
  Mod: () => firstPaintText('controlKey'),
  Shift: () => t('shiftKey'),
  Enter: () => t('enterKey'),
  Escape: () => 'Esc',
  ArrowUp: () => '↑',
  ArrowDown: () => '↓',
}
