import { of, from, interval, merge, firstValueFrom, lastValueFrom, Subject, BehaviorSubject, throwError, timer } from "rxjs";
import { map, filter, take, toArray, scan, mergeMap, catchError, debounceTime, delay, switchMap, reduce, retry } from "rxjs/operators";
export async function main() {
  const subject = new BehaviorSubject(1), heard = []; subject.subscribe((v) => heard.push(v)); subject.next(2);
  let tries = 0;
  return [
    await lastValueFrom(of(1, 2, 3, 4).pipe(filter((x) => x % 2 === 0), map((x) => x * 10), toArray())), await lastValueFrom(interval(1).pipe(take(4), scan((a, b) => a + b, 0), toArray())), await firstValueFrom(from([3, 4]).pipe(mergeMap((x) => of(x).pipe(delay(1))))),
    await lastValueFrom(throwError(() => new Error("no")).pipe(catchError((e) => of(e.message)))), heard, await lastValueFrom(merge(of("a").pipe(delay(20)), of("b").pipe(delay(1))).pipe(toArray())), await lastValueFrom(timer(1).pipe(switchMap(() => of("later")))), await lastValueFrom(of(1, 2, 3).pipe(reduce((a, b) => a + b))),
    await lastValueFrom(from((async () => 5)()).pipe(map((x) => { if (++tries < 3) throw new Error("again"); return x + tries; }), retry(5))), await firstValueFrom(of("d").pipe(debounceTime(1))),
  ];
}
