/** Shows the version of a message and switches to its neighbours, with the whole branch below. */
import { ChevronLeft, ChevronRight } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { IconButton } from '../../../ui/icon-button.tsx'
import type { Versions } from './shown-messages.ts'
import { t } from './texts/en.ts'

type VersionSwitchProps = {
  readonly versions: Versions
  readonly busyReason: string | undefined
  readonly onShow: (messageId: string) => void
}

type Direction = 'previous' | 'next'

/** The last requested version. It is another message with another switch, and the focus moves there, once. */
let awaited: { readonly messageId: string; readonly direction: Direction } | null = null

export function VersionSwitch({ versions: { ids, at }, busyReason, onShow }: VersionSwitchProps) {
  const groupRef = useRef<HTMLSpanElement>(null)
  const shown = ids[at]
  useEffect(() => {
    if (!awaited || awaited.messageId !== shown) return
    const { direction } = awaited
    awaited = null
    if (document.activeElement !== document.body) return
    groupRef.current?.querySelector<HTMLElement>(`[data-direction="${direction}"]`)?.focus({ preventScroll: true })
  }, [shown])
  if (ids.length < 2) return null
  const [previous, next] = [ids[at - 1], ids[at + 1]]
  const go = (messageId: string | undefined, direction: Direction) => {
    if (messageId === undefined) return
    awaited = { messageId, direction }
    onShow(messageId)
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
    <span ref={groupRef} role="group" aria-label={t('versions')} className="flex items-center">
      <IconButton
        size="sm"
        data-direction="previous"
        label={t('previousVersion')}
        disabledReason={busyReason ?? (previous === undefined ? t('firstVersion') : undefined)}
        onClick={() => go(previous, 'previous')}
      >
        <ChevronLeft />
      </IconButton>
      <span className="px-0.5 text-xs whitespace-nowrap text-muted-foreground tabular-nums">
        {t('versionOf', { at: at + 1, count: ids.length })}
      </span>
      <IconButton
        size="sm"
        data-direction="next"
        label={t('nextVersion')}
        disabledReason={busyReason ?? (next === undefined ? t('newestVersion') : undefined)}
        onClick={() => go(next, 'next')}
      >
        <ChevronRight />
      </IconButton>
    </span>
  )
}
