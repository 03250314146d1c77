/** Shows the version of a message and switches to its neighbours, with the whole branch below. */
import { ChevronLeft, ChevronRight } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { IconButton } from '../../../ui/icon-button.tsx'
import type { Versions } from './turns.ts'

type VersionSwitchProps = {
  readonly versions: Versions
  readonly busyReason: string | undefined
  readonly onShow: (messageId: string) => void
}

type Way = 'Previous version' | 'Next version'

/** The last requested version. It is another message with another switch, and the focus moves there, once. */
let awaited: { readonly messageId: string; readonly way: Way } | null = null

export function VersionSwitch({ versions: { ids, at }, busyReason, onShow }: VersionSwitchProps) {
  const groupRef = useRef<HTMLSpanElement>(null)
  const shown = ids[at]
  useEffect(() => {
    if (!awaited || awaited.messageId !== shown) return
    const { way } = awaited
    awaited = null
    if (document.activeElement !== document.body) return
    groupRef.current?.querySelector<HTMLElement>(`[aria-label="${way}"]`)?.focus({ preventScroll: true })
  }, [shown])
  if (ids.length < 2) return null
  const [previous, next] = [ids[at - 1], ids[at + 1]]
  const go = (messageId: string | undefined, way: Way) => {
    if (messageId === undefined) return
    awaited = { messageId, way }
    onShow(messageId)
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
    <span ref={groupRef} role="group" aria-label="Versions" className="flex items-center">
      <IconButton
        size="sm"
        label="Previous version"
        disabledReason={busyReason ?? (previous === undefined ? 'This is the first version' : undefined)}
        onClick={() => go(previous, 'Previous version')}
      >
        <ChevronLeft />
      </IconButton>
      <span className="px-0.5 text-xs whitespace-nowrap text-muted-foreground tabular-nums">
        Version {at + 1} of {ids.length}
      </span>
      <IconButton
        size="sm"
        label="Next version"
        disabledReason={busyReason ?? (next === undefined ? 'This is the newest version' : undefined)}
        onClick={() => go(next, 'Next version')}
      >
        <ChevronRight />
      </IconButton>
    </span>
  )
}
