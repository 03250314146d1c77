/** The memory: its switch, and the facts about the user. */
import { BrainCircuit, SearchX } from 'lucide-react'
import { useState } from 'react'
import { maxMemories } from '../../../../worker/contract/limits.ts'
import { wordsOf } from '../../../../worker/contract/threads/search.ts'
import { formatNumber } from '../../../lib/i18n/intl-format.ts'
import { useMe } from '../../../sync/hooks.ts'
import { useMemories } from '../../../sync/memories.ts'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { LoadingBlock } from '../../../ui/skeleton.tsx'
import { Switch } from '../../../ui/switch.tsx'
import { fieldClass } from '../../../ui/text-field.tsx'
import { toast } from '../../../ui/toaster.tsx'
import { useSaveSetting } from '../settings-frame.tsx'
import { EditMemory, MemoryItem } from './memory-item.tsx'
import { t } from './texts/en.ts'

/** Chosen: fewer are seen at once. */
const searchedFrom = 6

export function MemoryPage() {
  const setting = useMe()?.setting
  const save = useSaveSetting()
  const { memories, isComplete } = useMemories()
  const [search, setSearch] = useState('')
  const [editedId, setEditedId] = useState<string | null>(null)
  if (!setting) return <LoadingBlock className="h-64" />
  const isOn = setting.isMemoryOn === true
  const words = wordsOf(search)
  const found = memories.filter(({ text }) => words.every((word) => text.toLowerCase().includes(word)))
  const edited = memories.find(({ id }) => id === editedId)
  const turn = async (isMemoryOn: boolean) => {
    const problem = await save({ isMemoryOn })
    if (problem) toast('error', problem)
  }
  return (
    <div className="flex flex-col gap-5">
      <div className="flex items-center justify-between gap-4 rounded-lg border px-4 py-3">
        <div className="min-w-0">
          <div aria-hidden="true" className="font-medium">
            {t('remember')}
          </div>
          <p className="text-muted-foreground text-pretty">{t('rememberDescription')}</p>
        </div>
        <Switch label={t('remember')} checked={isOn} onChange={(checked) => void turn(checked)} />
      </div>
      {memories.length >= searchedFrom && (
        <input
          type="search"
          value={search}
          aria-label={t('search')}
          placeholder={t('search')}
          onChange={(event) => setSearch(event.target.value)}
          className={`${fieldClass} h-9 touch:h-11`}
        />
      )}
      {memories.length > 0 && !isOn && <p className="text-muted-foreground">{t('offKept')}</p>}
      {memories.length >= maxMemories && <p className="text-muted-foreground">{t('full', { max: formatNumber(maxMemories) })}</p>}
      {found.length > 0 ? (
        <ul className="divide-y rounded-lg border">
          {found.map((memory) => (
            <MemoryItem key={memory.id} memory={memory} onEdit={() => setEditedId(memory.id)} />
          ))}
        </ul>
      ) : (
        <EmptyState icon={memories.length > 0 ? SearchX : BrainCircuit} isLoading={!isComplete}>
          {memories.length > 0 ? t('noMatch') : t(isOn ? 'noMemories' : 'memoryOff')}
        </EmptyState>
      )}
      {edited && <EditMemory memory={edited} onClose={() => setEditedId(null)} />}
    </div>
  )
}
