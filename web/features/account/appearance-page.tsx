/** Color mode, theme and language. Applied to this page at once and synced to the other devices. */
import type { ReactNode } from 'react'
import { languageChoices } from '../../../worker/contract/languages.ts'
import { type Theme, themeClasses, themes } from '../../../worker/contract/themes.ts'
import { cx } from '../../lib/cx.ts'
import { useMe } from '../../sync/hooks.ts'
import { SavedMark } from '../../ui/autosaved-field.tsx'
import { Section } from '../../ui/section.tsx'
import { LoadingBlock } from '../../ui/skeleton.tsx'
import { chosenAppearance, languageNames, modeChoices, themeName } from './appearances.ts'
import { useSetting } from './settings-frame.tsx'
import { t } from './texts/en.ts'

export function AppearancePage() {
  const setting = useMe()?.setting
  const modeSetting = useSetting()
  const themeSetting = useSetting()
  const languageSetting = useSetting()
  // Cannot be changed until it is loaded.
  if (!setting) return <LoadingBlock className="h-96" />
  const { mode, theme } = chosenAppearance(setting)
  return (
    <>
      <Section title={t('mode')} mark={<SavedMark {...modeSetting.mark} />}>
        <fieldset className="grid grid-cols-3 gap-2">
          <legend className="sr-only">{t('mode')}</legend>
          {modeChoices.map(({ mode: choice, Icon }) => (
            <RadioCard
              key={choice}
              name="mode"
              className="flex-col justify-center gap-2 py-4"
              isChosen={choice === mode}
              onChoose={() => modeSetting.save({ mode: choice })}
            >
              <Icon aria-hidden="true" className="size-5 text-muted-foreground" />
              {t(choice)}
            </RadioCard>
          ))}
        </fieldset>
      </Section>
      <Section title={t('theme')} description={t('themeDescription')} mark={<SavedMark {...themeSetting.mark} />}>
        <fieldset className="grid grid-cols-2 gap-2 sm:grid-cols-4 *:last:col-span-2">
          <legend className="sr-only">{t('theme')}</legend>
          {themes.map((choice) => (
            <RadioCard key={choice} name="theme" isChosen={choice === theme} onChoose={() => themeSetting.save({ theme: choice })}>
              <ThemeSwatch mode={mode} theme={choice} />
              {themeName(choice)}
            </RadioCard>
          ))}
        </fieldset>
      </Section>
      <Section title={t('language')} mark={<SavedMark {...languageSetting.mark} />}>
        <fieldset ref={keepFocus} className="grid grid-cols-3 gap-2">
          <legend className="sr-only">{t('language')}</legend>
          {languageChoices.map((choice) => (
            <RadioCard
              key={choice}
              name="language"
              className="justify-center py-2.75"
              isChosen={choice === (setting.language ?? 'system')}
              onChoose={() => languageSetting.save({ language: choice })}
            >
              <span lang={choice === 'system' ? undefined : choice}>{languageNames[choice] ?? t('system')}</span>
            </RadioCard>
          ))}
        </fieldset>
      </Section>
    </>
  )
}

/** True between the removal of the focused language group and the mount of its replacement. */
let hadFocus = false

/** Ref callback. A new language remounts the page in one commit; the checked radio button gets the focus again. */
function keepFocus(fieldset: HTMLElement | null) {
  if (!fieldset) return undefined
  if (hadFocus) fieldset.querySelector<HTMLElement>(':checked')?.focus()
  return () => {
    hadFocus = fieldset.contains(document.activeElement)
    // The replacement mounts before the microtask.
    queueMicrotask(() => {
      hadFocus = false
    })
  }
}

type RadioCardProps = {
  readonly name: string
  readonly isChosen: boolean
  readonly onChoose: () => void
  readonly className?: string
  readonly children: ReactNode
}

const RadioCard = ({ name, isChosen, onChoose, className, children }: RadioCardProps) => (
  <label
    className={cx(
      'relative flex items-center gap-3 rounded-lg border p-3 transition-colors hover:bg-foreground/4 has-checked:border-accent has-checked:bg-accent/8 has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-ring',
      className,
    )}
  >
    <input type="radio" name={name} className="absolute inset-0 appearance-none outline-none" checked={isChosen} onChange={onChoose} />
    {children}
  </label>
)

/** A small preview of the theme: its classes set its tokens on this element. */
function ThemeSwatch({ mode, theme }: { readonly mode: string; readonly theme: Theme }) {
  return (
    <span
      aria-hidden="true"
      className={cx(
        themeClasses(mode, theme),
        'flex h-10 w-16 shrink-0 overflow-hidden rounded-md border bg-background forced-color-adjust-none',
      )}
    >
      <span className="w-4 bg-surface" />
      <span className="flex flex-1 flex-col justify-between p-1.5">
        <span className="ml-auto h-1.5 w-4 rounded-full bg-muted" />
        <span className="h-1 w-full rounded-full bg-foreground/60" />
        <span className="h-1 w-2/3 rounded-full bg-foreground/60" />
        <span className="h-1.5 w-3 rounded-full bg-accent" />
      </span>
    </span>
  )
}
