/** What is opened over any page by a key: the palette and the list of keys. Both are fetched when they are first wanted. */
import { useNavigate } from '@tanstack/react-router'
import { later } from '../lib/later.ts'
import { useShortcuts } from '../lib/shortcuts.ts'
import { closeOverlay, openOverlay, useOverlay } from '../stores/overlay.ts'

const CommandPalette = later(() => import('./-command-palette.tsx').then((module) => module.CommandPalette))
const ShortcutSheet = later(() => import('../features/shell/shortcut-sheet.tsx').then((module) => module.ShortcutSheet))

export function Overlays() {
  const shown = useOverlay()
  const navigate = useNavigate()
  useShortcuts({
    palette: () => openOverlay('palette'),
    help: () => openOverlay('shortcuts'),
    newThread: () => void navigate({ to: '/' }),
  })
  return (
    <>
      {shown === 'palette' && <CommandPalette onClose={closeOverlay} />}
      {shown === 'shortcuts' && <ShortcutSheet onClose={closeOverlay} />}
    </>
  )
}
