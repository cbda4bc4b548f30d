//! What has been received of one retrieval: every partition exactly once, in index order, and the total.

use columns::memory::{OutOfMemory, resize};

use crate::contract::KindCounts;

/// The partitions received so far, and those still to ask for.
#[derive(Debug)]
pub struct Receipt {
    counts: KindCounts,
    handed_out: u64,
    /// Whether each has come, up to the last that has.
    partitions: Vec<bool>,
    received: u64,
    findings: u64,
}

/// The order for one partition: there is one per index, and it is used up when the partition is taken.
#[derive(Debug, PartialEq, Eq)]
pub struct Order {
    index: u64,
}

/// The number of findings received is not the total that the service gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shortfall {
    /// The total that the counts gave.
    pub expected: u64,
    /// The number of findings in all partitions.
    pub received: u64,
}

impl Receipt {
    /// A receipt on which nothing has arrived yet. Takes no memory for what has not arrived, however many
    /// partitions the service claims to have.
    pub fn new(counts: KindCounts) -> Self {
        Receipt { counts, handed_out: 0, partitions: Vec::new(), received: 0, findings: 0 }
    }

    /// The order for the next partition, until all have been handed out.
    pub fn next_order(&mut self) -> Option<Order> {
        let index = self.handed_out;
        if index == self.counts.partitions {
            return None;
        }
        self.handed_out += 1;
        self.skip_received();
        Some(Order { index })
    }

    /// Whether there is a partition to order.
    pub fn has_orders(&self) -> bool {
        self.handed_out < self.counts.partitions
    }

    /// How many indexes have been gone through for orders.
    pub fn handed_out(&self) -> u64 {
        self.handed_out
    }

    /// Hands out no more orders.
    pub fn close(&mut self) {
        self.handed_out = self.counts.partitions;
    }

    /// Hands out orders from the first partition on that is missing. No order of before may be used any more.
    pub fn reopen(&mut self) {
        self.handed_out = 0;
        self.skip_received();
    }

    /// What the service said that there is.
    pub fn counts(&self) -> KindCounts {
        self.counts
    }

    /// The indexes of the partitions that have not been received.
    pub fn missing(&self) -> impl Iterator<Item = u64> {
        (0..self.counts.partitions).filter(|index| !self.has(*index))
    }

    /// Notes the partition of that order with its number of findings, if there is memory to do so.
    pub fn take(&mut self, order: Order, length: usize) -> Result<(), OutOfMemory> {
        *self.place(order.index).ok_or(OutOfMemory)? = true;
        self.received += 1;
        self.findings += length as u64;
        Ok(())
    }

    /// Whether every partition has been received.
    pub fn is_whole(&self) -> bool {
        self.received == self.counts.partitions
    }

    /// Number of partitions received.
    pub fn partitions(&self) -> u64 {
        self.received
    }

    /// Number of findings received.
    pub fn findings(&self) -> u64 {
        self.findings
    }

    /// Compares what was received with the total of the counts, where there is one.
    pub fn check(&self) -> Result<(), Shortfall> {
        match self.counts.findings {
            Some(expected) if expected != self.findings => Err(Shortfall { expected, received: self.findings }),
            _ => Ok(()),
        }
    }

    fn has(&self, index: u64) -> bool {
        let position = usize::try_from(index).ok();
        position.and_then(|position| self.partitions.get(position)).is_some_and(|has_come| *has_come)
    }

    fn skip_received(&mut self) {
        while self.has_orders() && self.has(self.handed_out) {
            self.handed_out += 1;
        }
    }

    fn place(&mut self, index: u64) -> Option<&mut bool> {
        let position = usize::try_from(index).ok()?;
        let length = self.partitions.len().max(position.checked_add(1)?);
        resize(&mut self.partitions, length, false).ok()?;
        self.partitions.get_mut(position)
    }
}

impl Order {
    /// The index of the partition.
    pub fn index(&self) -> u64 {
        self.index
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn counts(partitions: u64, findings: Option<u64>) -> KindCounts {
        KindCounts { partitions, findings }
    }

    fn orders(receipt: &mut Receipt) -> Vec<Order> {
        std::iter::from_fn(|| receipt.next_order()).collect()
    }

    #[test]
    fn each_index_is_ordered_exactly_once() {
        let mut receipt = Receipt::new(counts(3, None));
        let indexes: Vec<u64> = orders(&mut receipt).iter().map(Order::index).collect();
        assert_eq!(indexes, [0, 1, 2]);
        assert_eq!(receipt.next_order(), None);
    }

    #[test]
    fn a_total_that_differs_is_a_shortfall_in_either_direction() {
        let mut receipt = Receipt::new(counts(1, Some(5)));
        assert_eq!(receipt.check(), Err(Shortfall { expected: 5, received: 0 }));
        let order = receipt.next_order().unwrap();
        assert_eq!(receipt.take(order, 6), Ok(()));
        assert_eq!(receipt.check(), Err(Shortfall { expected: 5, received: 6 }));
    }

    #[test]
    fn without_a_total_everything_received_is_complete() {
        assert_eq!(Receipt::new(counts(0, None)).check(), Ok(()));
        assert_eq!(Receipt::new(counts(0, Some(0))).check(), Ok(()));
    }

    #[test]
    fn a_claim_of_billions_of_partitions_takes_no_memory() {
        let mut receipt = Receipt::new(counts(4_000_000_000, None));
        let order = receipt.next_order().unwrap();
        assert_eq!(receipt.take(order, 1), Ok(()));
        assert_eq!(receipt.partitions.len(), 1);
    }

    #[test]
    fn a_closed_receipt_orders_nothing_more() {
        let mut receipt = Receipt::new(counts(3, None));
        assert!(receipt.next_order().is_some());
        receipt.close();
        assert!(!receipt.has_orders());
        assert_eq!(receipt.next_order(), None);
    }

    proptest! {
        #[test]
        fn a_reopened_receipt_orders_just_what_is_missing(received in prop::collection::vec(any::<bool>(), 0..40)) {
            let mut receipt = Receipt::new(counts(received.len() as u64, None));
            for (order, received) in orders(&mut receipt).into_iter().zip(&received) {
                if *received {
                    prop_assert_eq!(receipt.take(order, 1), Ok(()));
                }
            }
            let missing: Vec<u64> = (0..).zip(&received).filter(|(_, received)| !**received).map(|(index, _)| index).collect();
            prop_assert!(receipt.missing().eq(missing.iter().copied()));
            receipt.reopen();
            prop_assert!(orders(&mut receipt).iter().map(Order::index).eq(missing.iter().copied()));
        }

        #[test]
        fn whatever_the_order_of_arrival_each_partition_counts_once(
            arrivals in (1u64..40).prop_flat_map(|partitions| Just((0..partitions).collect::<Vec<_>>()).prop_shuffle())
        ) {
            let mut receipt = Receipt::new(counts(arrivals.len() as u64, None));
            let mut orders: Vec<_> = orders(&mut receipt).into_iter().map(Some).collect();
            for &index in &arrivals {
                let order = orders[index as usize].take().unwrap();
                prop_assert_eq!(receipt.take(order, 2), Ok(()));
            }
            prop_assert_eq!((receipt.partitions(), receipt.findings()), (arrivals.len() as u64, 2 * arrivals.len() as u64));
            prop_assert_eq!(receipt.missing().next(), None);
        }
    }
}
