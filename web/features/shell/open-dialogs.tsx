/** The open dialogs of `thread-dialogs.tsx`. */
import { useLocation } from '@tanstack/react-router'
import { useEffect } from 'react'
import { lazyPart } from '../../lib/lazy-part.ts'
import type { ThreadRow } from '../../sync/rows.ts'
import { moving, sharing } from './thread-dialogs.tsx'

const MoveDialog = lazyPart(() => import('./move-dialog.tsx').then((module) => module.MoveDialog))
const ShareDialog = lazyPart(() => import('./share/share-dialog.tsx').then((module) => module.ShareDialog))

type OpenDialogsProps = { readonly moved: readonly ThreadRow[] | null; readonly shared: string | null }

function closeAll(): void {
  moving.set(null)
  sharing.set(null)
}

export function OpenDialogs({ moved, shared }: OpenDialogsProps) {
  const path = useLocation({ select: ({ pathname }) => pathname })
  // biome-ignore lint/correctness/useExhaustiveDependencies(path): closes when the path changes, as Back does in browsers without `CloseWatcher`
  useEffect(() => closeAll, [path])
  return (
    <>
      {moved && <MoveDialog threads={moved} onClose={() => moving.set(null)} />}
      {shared && <ShareDialog threadId={shared} onClose={() => sharing.set(null)} />}
    </>
  )
}
