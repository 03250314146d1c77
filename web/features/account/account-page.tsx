/** Who I am here, and the way out. */
import { useState } from 'react'
import { useMe } from '../../sync/hooks.ts'
import { Button } from '../../ui/button.tsx'
import { Delayed, Skeleton } from '../../ui/skeleton.tsx'
import { LogoutDialog } from './logout-dialog.tsx'
import { planName } from './person.ts'
import { Section } from './settings-frame.tsx'

export function AccountPage() {
  const me = useMe()
  const [isLeaving, setLeaving] = useState(false)
  if (!me) {
    return (
      <Delayed>
        <Skeleton className="h-48" />
      </Delayed>
    )
  }
  const isGuest = me.user.isAnonymous === true
  return (
    <>
      <Section title={isGuest ? 'Guest' : 'Account'} {...(isGuest && { description: guestNote })}>
        <dl className="divide-y rounded-lg border">
          <Fact name="Name" value={me.user.name} />
          {!isGuest && <Fact name="E-mail" value={me.user.email} />}
          <Fact name="Plan" value={planName(me.plan)} />
          <Fact name="Since" value={new Date(me.user.createdAt).toLocaleDateString(undefined, { dateStyle: 'long' })} />
        </dl>
      </Section>
      <Section title="Leave">
        <Button onClick={() => setLeaving(true)}>Log out</Button>
      </Section>
      {isLeaving && <LogoutDialog isGuest={isGuest} onClose={() => setLeaving(false)} />}
    </>
  )
}

const guestNote = 'You are a guest. Your threads belong to this browser: when you log out or clear its data, they cannot be reached again.'

function Fact({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div className="flex justify-between gap-4 px-4 py-3">
      <dt className="text-muted-foreground">{name}</dt>
      <dd className="min-w-0 truncate">{value}</dd>
    </div>
  )
}
