/** Exports threads: loads all of their messages, then saves a file or prints. */
import { useEffect, useState } from 'react'
import type { ExportRequest } from '../../../lib/overlays.ts'
import { publicUrls } from '../../../lib/public-urls.ts'
import { saveFile } from '../../../lib/save-file.ts'
import { serverNowMs } from '../../../lib/server-clock.ts'
import { useMe } from '../../../sync/hooks.ts'
import { useLoadThreads } from '../../../sync/move-threads.ts'
import type { ThreadWithMessages } from '../../../sync/rows.ts'
import { toast, toastWhile } from '../../../ui/toaster.tsx'
import { PrintDocument } from './print-document.tsx'
import { t } from './texts/en.ts'
import { jsonFile, markdownFile } from './thread-file.ts'

export function Exporting({ request, onClose }: { readonly request: ExportRequest; readonly onClose: () => void }) {
  const userId = useMe()?.user.id
  const loadThreads = useLoadThreads()
  const [printed, setPrinted] = useState<readonly ThreadWithMessages[] | null>(null)
  useEffect(() => {
    if (userId === undefined) return undefined
    let isCurrent = true
    const { threadIds, kind } = request
    toastWhile(t('exporting', { count: threadIds.length }), loadThreads(threadIds)).then(
      (threads) => {
        if (!isCurrent) return
        if (kind === 'print') {
          setPrinted(threads)
          return
        }
        const { text, type, name } = kind === 'json' ? jsonFile(threads, userId, serverNowMs()) : markdownFile(threads, publicUrls().apiUrl)
        saveFile(new Blob([text], { type }), name)
        onClose()
      },
      () => {
        if (!isCurrent) return
        toast('error', t('exportFailed'))
        onClose()
      },
    )
    return () => {
      isCurrent = false
    }
  }, [request, userId, loadThreads, onClose])
  return printed && <PrintDocument threads={printed} onPrinted={onClose} />
}
