/** Which version of a message is on show, and the way to its neighbours. Choosing one shows the whole branch below it. */
import { ChevronLeft, ChevronRight } from 'lucide-react'
import { IconButton } from '../../ui/icon-button.tsx'
import type { Versions } from './turns.ts'

type VersionSwitchProps = {
  readonly versions: Versions
  readonly busyReason: string | undefined
  readonly onShow: (messageId: string) => void
}

export function VersionSwitch({ versions: { ids, at }, busyReason, onShow }: VersionSwitchProps) {
  if (ids.length < 2) return null
  const [previous, next] = [ids[at - 1], ids[at + 1]]
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
    <span role="group" aria-label="Versions" className="flex items-center">
      <IconButton
        size="sm"
        label="Previous version"
        disabledReason={busyReason ?? (previous === undefined ? 'This is the first version' : undefined)}
        onClick={() => previous !== undefined && onShow(previous)}
      >
        <ChevronLeft />
      </IconButton>
      <span className="px-0.5 text-xs whitespace-nowrap text-muted-foreground tabular-nums">
        {at + 1} of {ids.length}
      </span>
      <IconButton
        size="sm"
        label="Next version"
        disabledReason={busyReason ?? (next === undefined ? 'This is the newest version' : undefined)}
        onClick={() => next !== undefined && onShow(next)}
      >
        <ChevronRight />
      </IconButton>
    </span>
  )
}
