/** The facts that an answer was given, as they were then, with what became of them. */
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { GivenMemory } from '../../../../worker/contract/threads/memories.ts'
import { useMemories } from '../../../sync/memories.ts'
import { buttonClass } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { EditMemory, MemoryItem } from './memory-item.tsx'
import { t } from './texts/en.ts'

type UsedMemoriesProps = { readonly given: readonly GivenMemory[]; readonly onClose: () => void }

export function UsedMemories({ given, onClose }: UsedMemoriesProps) {
  const { memories, isComplete } = useMemories()
  const [editedId, setEditedId] = useState<string | null>(null)
  const edited = memories.find(({ id }) => id === editedId)
  if (edited) return <EditMemory memory={edited} onClose={() => setEditedId(null)} />
  const footer = (
    <Link to="/account/memory" onClick={onClose} className={buttonClass({ variant: 'secondary' })}>
      {t('manage')}
    </Link>
  )
  return (
    <Dialog open title={t('used')} description={t('usedDescription')} footer={footer} onClose={onClose}>
      <ul className="mt-4 divide-y rounded-lg border">
        {given.map(({ id, text }) => {
          const memory = memories.find((one) => one.id === id)
          if (memory) {
            const note = memory.text !== text && <p className="text-muted-foreground wrap-anywhere">{t('wasGiven', { text })}</p>
            return <MemoryItem key={id} memory={memory} note={note} onEdit={() => setEditedId(id)} onLeave={onClose} />
          }
          return (
            <li key={id} className="px-3 py-2.5">
              <p dir="auto" className="wrap-anywhere">
                {text}
              </p>
              {isComplete && <p className="mt-0.5 text-xs text-muted-foreground">{t('gone')}</p>}
            </li>
          )
        })}
      </ul>
    </Dialog>
  )
}
